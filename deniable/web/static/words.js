// What the page itself says, in every language of the interface.
//
// Where a sentence speaks of the mixing it has three forms: `all` questions are mixed, `some` are, or `none` is. People are told what
// holds for the survey in front of them.

const grid = (low, high, step) => [low, low + step, low + 2 * step].filter((value) => value < high).join(", ");

const WORDS = {
  en: {
    language: "Language",
    asks: "Asked by",
    until: "Open until",
    contact: "Questions?",
    receives: "What the organiser receives",
    receivesText: {
      all: "Before anything is sent, this page randomly changes your answers. Of your answers, only the changed ones leave your device.",
      some:
        "Before anything is sent, this page randomly changes your answers to the questions marked “randomly changed before sending”. Of these, only the changed answers leave your device. Answers to questions marked “sent as it is” are not changed: the organiser receives exactly what you answer there.",
      none: "Nothing is randomly changed in this survey: the organiser receives exactly what you answer.",
    },
    knows: "What the organiser can and cannot find out",
    knowsText: {
      all: "From many randomly changed answers the organiser can work out how many people think or do something. From yours alone it can never be sure what you answered, nor can anyone else who ever sees the stored answers.",
      some: "From many randomly changed answers the organiser can work out how many people think or do something. From yours alone it can never be sure what you answered to a question whose answers are randomly changed, nor can anyone else who ever sees the stored answers. They can read whatever is sent as it is.",
      none: "The organiser, and anyone else who ever sees the stored answers, can read what was answered.",
    },
    example: (first, second, n, of) =>
      `Of ${of.toLocaleString("en")} people whose answer is “${first}”, about ${n.toLocaleString("en")} ${n === 1 ? "sends" : "send"} “${second}”. So a “${second}” proves nothing.`,
    exampleWeak: (first, second, n, of) =>
      `Of ${of.toLocaleString("en")} people whose answer is “${first}”, about ${n.toLocaleString("en")} ${n === 1 ? "sends" : "send"} “${second}”.`,
    low: "low",
    high: "high",
    bit: (title) => `${title} Your number is not sent, only “low” or “high”. The larger the number, the likelier is “high”; but each of them is sent for every number.`,
    coarse: (title, n, first, last) =>
      `${title} Your number is not sent, only one of ${n} values from ${first} to ${last}. Values near your number are likelier; but each of them is sent for every number.`,
    weak: (titles) => `Changed only lightly: ${titles}. What is sent there never proves your answer, but it can say a good deal about it.`,
    truth: "Answer truthfully: the page itself changes answers at random.",
    linkNone: "Your invitation is not stored together with your answers.",
    linkCode: "After sending you get a code, which is stored with your answers. Anyone who knows the code can find them; only with it can you prove that they came from you.",
    linkRegister: {
      all: "This survey asks how to reach you. The organiser can see which randomly changed answers came with which contact details. The answers themselves stay changed.",
      some: "This survey asks how to reach you. The organiser can see which answers came with which contact details. Answers that were randomly changed stay changed; the others it sees as you gave them.",
      none: "This survey asks how to reach you. The organiser can see which answers came with which contact details.",
    },
    contactsUntil: (day) => `Contact details are kept until ${day} and then erased.`,
    practice: "Try it first",
    practiceTitle: "Practice: nothing is sent",
    practiceQuestion: "Do you prefer tea to coffee?",
    yes: "Yes",
    no: "No",
    practiceResult: (title, n, of) =>
      `Practice answers stay here. If they were changed like those to “${title}”, about ${n.toLocaleString("en")} of ${of.toLocaleString("en")} people with your answer would send a different one.`,
    practicePlain: "Practice answers stay here. In the survey, some of the people with your answer would send a different one, by chance; nobody can tell who.",
    practiceFirst: "Please choose an answer first.",
    practiceDraw: "Draw an example",
    practiceDrawn: (times, chosen, sent) =>
      `Example draw ${times}: you chose “${chosen}”, and “${sent}” would be sent. This is only an example: nothing is sent now, and Send makes a new draw. Press again for another draw.`,
    practiceExplain: "Explain the random change",
    start: "Start",
    back: "Back",
    next: "Next",
    send: "Send",
    sending: "Sending…",
    sendNote: {
      all: "When you press Send, your answers are randomly changed, sent, and erased from this page.",
      some: "When you press Send, your private answers are randomly changed; then all your answers are sent and erased from this page.",
      none: "When you press Send, your answers are sent as they are and erased from this page.",
    },
    skipped: "A question that you leave open counts as “I prefer not to answer”.",
    noAnswer: "I prefer not to answer",
    noneOfThese: "None of these",
    sentAsIs: "sent as it is",
    mixed: "randomly changed before sending",
    orMore: (low, high, step) =>
      step === 1
        ? `A whole number from ${low} to ${high}. Anything lower counts as ${low}, anything higher as ${high}.`
        : `In steps of ${step}: ${grid(low, high, step)}, … up to ${high}. Anything lower counts as ${low}, anything higher as ${high}.`,
    unrelated: "Your answer to this second question stays on your device unless the draw picks it.",
    errorTitle: "Please check",
    errorConsent: "Please confirm before you send.",
    errorNumber: "Please enter a whole number (rounded if need be), or tick “I prefer not to answer”.",
    errorStep: (low, high, step) =>
      `Please enter one of ${grid(low, high, step)}, … up to ${high} (the nearest if need be), or tick “I prefer not to answer”.`,
    failed: {
      all: "Your answers were randomly changed but did not arrive. Trying again will send exactly the same answers.",
      some: "Your answers did not arrive. Trying again will send exactly the same answers.",
      none: "Your answers did not arrive. Trying again will send exactly the same answers.",
    },
    retry: "Try again",
    refused: "The answers were not accepted.",
    refusals: {
      closed: "This survey is closed; nothing was stored.",
      wrong_version: "The survey has changed since this page was opened. Please load it again and answer once more.",
      token_missing: "This survey is by invitation. Please use the link you were sent.",
      token_unknown: "This invitation is not known here. Please check that you have the whole link.",
      token_used: "This invitation has already been used to send answers. Each invitation can be used only once.",
      token_not_now: "This invitation is not valid today.",
      code_used: "This receipt code has already been used.",
      id_reused: "Other answers have already been sent under the same number. Please start again.",
      too_many: "Too many answers are coming from your network right now. Please wait a moment.",
      too_large: "The answers are too long to be stored.",
      busy: "Too many people are answering right now. Please wait a moment.",
      not_stored: "The answers could not be stored right now.",
      unknown_survey: "This survey no longer exists.",
    },
    thanks: {
      all: "Thank you. Your randomly changed answers have arrived.",
      some: "Thank you. Your answers have arrived, the private ones randomly changed.",
      none: "Thank you. Your answers have arrived.",
    },
    code: "Your code (write it down; it is not shown again):",
    whatSent: "What was sent?",
    whatSentNote: {
      all: "It may differ from what you answered; that is your protection.",
      some: "Where answers are randomly changed it may differ from what you answered; that is your protection.",
      none: "",
    },
    nextPerson: "Next person",
    again: "Load the survey again",
    otherWay: "Another way to take part",
    stuck: "Something went wrong and the survey cannot go on here. Nothing was sent.",
    dishonest:
      "This page was told to ask for answers, or to change them, in a way that would give some of them away, so it will not ask anything. Nothing was sent. Please tell the organiser.",
    drawnBefore:
      "Your randomly changed answers have already left this page once, but the server did not confirm that it stored them. Changing the same answers again would give away too much about you, so this page will not send anything more.",
    noRandom: "This browser has no reliable source of cryptographic random numbers, so nothing can be randomly changed here and nothing was sent.",
    closed: "This survey is closed.",
    notFound: "There is no such survey.",
    unreachable: "The survey could not be loaded. Please reload the page.",
    needsToken: "This survey is by invitation. Please use the link you were sent.",
    typeToken: "This survey is by invitation. Please enter the code from your invitation.",
    token: "Code from your invitation",
    tokenWrong: "This is not an invitation code: those contain only letters, digits, -, _ and ~.",
    outdated: "The survey has changed since this page was made. Nothing was sent. Please ask the organiser for the new page.",
    outdatedLater: "The survey has changed since this page was made, so this page will not send anything more. Please ask the organiser for the new page.",
    notReached:
      "The server cannot be reached, or no longer takes answers from this page. Nothing was changed and nothing was sent. Please try again in a moment, or ask the organiser for the newest page.",
    step: (i, n) => `Page ${i} of ${n}`,
    loading: "Loading…",
    contactTitle: "How to reach you",
    name: "Name",
    email: "E-mail",
    errorContact: "Please tell us how to reach you.",
    errorEmail: "Please enter an e-mail address such as name@example.org.",
    banner: {
      preview: "Preview: nothing is sent.",
      trial: "Trial: this is not the real survey. Answers given here are not counted in it.",
      madeUp: "The answers here are made up. Nobody can take part.",
    },
    toDraft: "Back to the draft",
    previewEnd: "This is the end of the preview. Nothing was sent. This is what would have been sent:",
    previewAlso: (more) => `With it goes a random number by which a repeated sending is recognised${more ? ", and this:" : "."}`,
    previewAgain: "Go through it again",
    previewGone: "The draft cannot be shown: it is gone, something in it is not right yet, or you are no longer logged in. Nothing was sent.",
  },
  pl: {
    language: "Język",
    asks: "Organizator",
    until: "Otwarta do",
    contact: "Pytania?",
    receives: "Co otrzymuje organizator",
    receivesText: {
      all: "Zanim cokolwiek zostanie wysłane, ta strona losowo zmienia Twoje odpowiedzi. Z Twoich odpowiedzi tylko zmienione opuszczają Twoje urządzenie.",
      some: "Zanim cokolwiek zostanie wysłane, ta strona losowo zmienia Twoje odpowiedzi na pytania oznaczone „losowo zmieniane przed wysłaniem”: z nich tylko zmienione opuszczają Twoje urządzenie. Odpowiedzi na pytania oznaczone „wysyłane bez zmian” nie są zmieniane: organizator otrzymuje je dokładnie takie, jakie podasz.",
      none: "W tej ankiecie nic nie jest losowo zmieniane: organizator otrzymuje odpowiedzi dokładnie takie, jakie podasz.",
    },
    knows: "Czego organizator może się dowiedzieć, a czego nie",
    knowsText: {
      all: "Z wielu losowo zmienionych odpowiedzi organizator może obliczyć, ile osób coś myśli lub robi. Na podstawie samych Twoich odpowiedzi nigdy nie będzie mieć pewności, jak brzmiała Twoja odpowiedź: ani on, ani nikt, kto kiedykolwiek zobaczy zapisane odpowiedzi.",
      some: "Z wielu losowo zmienionych odpowiedzi organizator może obliczyć, ile osób coś myśli lub robi. Na podstawie samych Twoich odpowiedzi nigdy nie będzie mieć pewności, jak brzmiała Twoja odpowiedź na pytanie, na które odpowiedzi są losowo zmieniane: ani on, ani nikt, kto kiedykolwiek zobaczy zapisane odpowiedzi. To, co jest wysyłane bez zmian, każdy z nich może przeczytać.",
      none: "Organizator i każdy, kto kiedykolwiek zobaczy zapisane odpowiedzi, może je przeczytać.",
    },
    example: (first, second, n, of) =>
      `Na ${of.toLocaleString("pl")} osób, których odpowiedź brzmi „${first}”, około ${n.toLocaleString("pl")} wysyła „${second}”. Dlatego „${second}” niczego nie dowodzi.`,
    exampleWeak: (first, second, n, of) =>
      `Na ${of.toLocaleString("pl")} osób, których odpowiedź brzmi „${first}”, około ${n.toLocaleString("pl")} wysyła „${second}”.`,
    low: "nisko",
    high: "wysoko",
    bit: (title) => `${title} Twoja liczba nie jest wysyłana, tylko „nisko” albo „wysoko”. Im większa liczba, tym częściej „wysoko”; ale każde z nich bywa wysyłane przy każdej liczbie.`,
    coarse: (title, n, first, last) =>
      `${title} Twoja liczba nie jest wysyłana, tylko jedna z ${n} wartości od ${first} do ${last}. Wartości bliskie Twojej liczbie są częstsze; ale każda z nich bywa wysyłana przy każdej liczbie.`,
    weak: (titles) => `Zmieniane tylko lekko: ${titles}. To, co zostanie tam wysłane, nigdy nie dowodzi Twojej odpowiedzi, ale może sporo o niej powiedzieć.`,
    truth: "Odpowiadaj zgodnie z prawdą: losowe zmiany wprowadza strona.",
    linkNone: "Zaproszenie nie jest zapisywane razem z odpowiedziami.",
    linkCode: "Po wysłaniu otrzymasz kod, który jest zapisywany razem z odpowiedziami. Kto zna kod, może je odnaleźć; tylko z nim można wykazać, że pochodzą od Ciebie.",
    linkRegister: {
      all: "Ta ankieta pyta, jak się z Tobą skontaktować. Organizator może zobaczyć, które losowo zmienione odpowiedzi przyszły z którymi danymi kontaktowymi. Same odpowiedzi pozostają losowo zmienione.",
      some: "Ta ankieta pyta, jak się z Tobą skontaktować. Organizator może zobaczyć, które odpowiedzi przyszły z którymi danymi kontaktowymi. Odpowiedzi losowo zmienione takie pozostają; pozostałe widzi takie, jakie podasz.",
      none: "Ta ankieta pyta, jak się z Tobą skontaktować. Organizator może zobaczyć, które odpowiedzi przyszły z którymi danymi kontaktowymi.",
    },
    contactsUntil: (day) => `Dane kontaktowe są przechowywane do ${day}, a potem usuwane.`,
    practice: "Najpierw spróbuj",
    practiceTitle: "Ćwiczenie: nic nie jest wysyłane",
    practiceQuestion: "Czy wolisz herbatę od kawy?",
    yes: "Tak",
    no: "Nie",
    practiceResult: (title, n, of) =>
      `Odpowiedzi z ćwiczenia zostają tutaj. Gdyby były losowo zmieniane jak odpowiedzi na „${title}”, na ${of.toLocaleString("pl")} osób z Twoją odpowiedzią około ${n.toLocaleString("pl")} wysłałoby inną.`,
    practicePlain: "Odpowiedzi z ćwiczenia zostają tutaj. W ankiecie część osób z Twoją odpowiedzią wysłałaby losowo inną; nikt nie wie, które to osoby.",
    practiceFirst: "Proszę najpierw wybrać odpowiedź.",
    practiceDraw: "Wylosuj przykład",
    practiceDrawn: (times, chosen, sent) =>
      `Przykładowe losowanie ${times}: wybrano „${chosen}”, a wysłane zostałoby „${sent}”. To tylko przykład: teraz nic nie jest wysyłane, a „Wyślij” losuje od nowa. Naciśnij jeszcze raz, aby zobaczyć inne losowanie.`,
    practiceExplain: "Wyjaśnij losowe zmiany",
    start: "Rozpocznij",
    back: "Wstecz",
    next: "Dalej",
    send: "Wyślij",
    sending: "Wysyłanie…",
    sendNote: {
      all: "Po naciśnięciu „Wyślij” odpowiedzi są losowo zmieniane, wysyłane i usuwane z tej strony.",
      some: "Po naciśnięciu „Wyślij” prywatne odpowiedzi są losowo zmieniane; potem wszystkie są wysyłane i usuwane z tej strony.",
      none: "Po naciśnięciu „Wyślij” odpowiedzi są wysyłane bez zmian i usuwane z tej strony.",
    },
    skipped: "Pytanie pozostawione bez odpowiedzi liczy się jako „Wolę nie odpowiadać”.",
    noAnswer: "Wolę nie odpowiadać",
    noneOfThese: "Żadne z powyższych",
    sentAsIs: "wysyłane bez zmian",
    mixed: "losowo zmieniane przed wysłaniem",
    orMore: (low, high, step) =>
      step === 1
        ? `Liczba całkowita od ${low} do ${high}. Mniejsze liczą się jako ${low}, większe jako ${high}.`
        : `Co ${step}: ${grid(low, high, step)}, … do ${high}. Mniejsze liczą się jako ${low}, większe jako ${high}.`,
    unrelated: "Twoja odpowiedź na to drugie pytanie pozostaje na Twoim urządzeniu, chyba że wybierze ją losowanie.",
    errorTitle: "Proszę sprawdzić",
    errorConsent: "Proszę potwierdzić przed wysłaniem.",
    errorNumber: "Proszę podać liczbę całkowitą (w razie potrzeby zaokrągloną) albo zaznaczyć „Wolę nie odpowiadać”.",
    errorStep: (low, high, step) =>
      `Proszę podać jedną z liczb ${grid(low, high, step)}, … do ${high} (w razie potrzeby najbliższą) albo zaznaczyć „Wolę nie odpowiadać”.`,
    failed: {
      all: "Odpowiedzi zostały losowo zmienione, ale nie dotarły. Ponowna próba wyśle dokładnie to samo.",
      some: "Odpowiedzi nie dotarły. Ponowna próba wyśle dokładnie to samo.",
      none: "Odpowiedzi nie dotarły. Ponowna próba wyśle dokładnie to samo.",
    },
    retry: "Spróbuj ponownie",
    refused: "Odpowiedzi nie zostały przyjęte.",
    refusals: {
      closed: "Ta ankieta jest zamknięta; nic nie zapisano.",
      wrong_version: "Ankieta zmieniła się od otwarcia tej strony. Proszę wczytać ją ponownie i odpowiedzieć jeszcze raz.",
      token_missing: "Ta ankieta jest na zaproszenie. Proszę użyć otrzymanego linku.",
      token_unknown: "Nie znamy tego zaproszenia. Proszę sprawdzić, czy link jest kompletny.",
      token_used: "To zaproszenie zostało już wykorzystane do wysłania odpowiedzi. Każdego zaproszenia można użyć tylko raz.",
      token_not_now: "To zaproszenie nie jest dziś ważne.",
      code_used: "Ten kod potwierdzenia został już użyty.",
      id_reused: "Pod tym samym numerem wysłano już inne odpowiedzi. Proszę zacząć od nowa.",
      too_many: "Z tej sieci przychodzi teraz zbyt wiele odpowiedzi. Proszę chwilę poczekać.",
      too_large: "Odpowiedzi są zbyt długie, aby je zapisać.",
      busy: "W tej chwili odpowiada zbyt wiele osób. Proszę chwilę poczekać.",
      not_stored: "W tej chwili nie udało się zapisać odpowiedzi.",
      unknown_survey: "Tej ankiety już nie ma.",
    },
    thanks: {
      all: "Dziękujemy. Losowo zmienione odpowiedzi dotarły.",
      some: "Dziękujemy. Odpowiedzi dotarły, prywatne zostały losowo zmienione.",
      none: "Dziękujemy. Odpowiedzi dotarły.",
    },
    code: "Twój kod (zapisz go; nie zostanie pokazany ponownie):",
    whatSent: "Co zostało wysłane?",
    whatSentNote: {
      all: "Może się różnić od Twojej odpowiedzi; na tym polega ochrona.",
      some: "Tam, gdzie odpowiedzi są losowo zmieniane, może się różnić od Twojej; na tym polega ochrona.",
      none: "",
    },
    nextPerson: "Następna osoba",
    again: "Wczytaj ankietę ponownie",
    otherWay: "Inny sposób udziału",
    stuck: "Wystąpił błąd i nie można tu kontynuować ankiety. Nic nie wysłano.",
    dishonest:
      "Tej stronie kazano pytać lub losowo zmieniać odpowiedzi w sposób, który ujawniłby niektóre z nich, dlatego o nic nie pyta. Nic nie wysłano. Proszę powiadomić organizatora.",
    drawnBefore:
      "Twoje losowo zmienione odpowiedzi już raz opuściły tę stronę, a serwer nie potwierdził ich zapisania. Ponowne losowanie dla tych samych odpowiedzi zdradziłoby o Tobie zbyt wiele, dlatego ta strona nic więcej nie wysyła.",
    noRandom: "Ta przeglądarka nie ma kryptograficznych liczb losowych, na których można polegać, więc nie można tu nic losowo zmienić i nic nie wysłano.",
    closed: "Ta ankieta jest zamknięta.",
    notFound: "Nie ma takiej ankiety.",
    unreachable: "Nie udało się wczytać ankiety. Proszę odświeżyć stronę.",
    needsToken: "Ta ankieta jest na zaproszenie. Proszę użyć otrzymanego linku.",
    typeToken: "Ta ankieta jest na zaproszenie. Proszę wpisać kod z zaproszenia.",
    token: "Kod z zaproszenia",
    tokenWrong: "To nie jest kod zaproszenia: składa się on tylko z liter, cyfr oraz znaków -, _ i ~.",
    outdated: "Ankieta zmieniła się od czasu przygotowania tej strony. Nic nie wysłano. Proszę poprosić organizatora o nową stronę.",
    outdatedLater: "Ankieta zmieniła się od czasu przygotowania tej strony, więc ta strona nic więcej nie wyśle. Proszę poprosić organizatora o nową stronę.",
    notReached:
      "Serwer jest nieosiągalny albo nie przyjmuje już odpowiedzi z tej strony. Nic nie wylosowano i nic nie wysłano. Proszę spróbować za chwilę albo poprosić organizatora o najnowszą stronę.",
    step: (i, n) => `Strona ${i} z ${n}`,
    loading: "Wczytywanie…",
    contactTitle: "Jak się z Tobą skontaktować",
    name: "Imię i nazwisko",
    email: "E-mail",
    errorContact: "Proszę podać, jak się z Tobą skontaktować.",
    errorEmail: "Proszę podać adres e-mail, na przykład imie@example.org.",
    banner: {
      preview: "Podgląd: nic nie jest wysyłane.",
      trial: "Próba: to nie jest właściwa ankieta. Odpowiedzi podane tutaj nie są w niej liczone.",
      madeUp: "Odpowiedzi tutaj są zmyślone. Nikt nie może wziąć udziału.",
    },
    toDraft: "Wróć do szkicu",
    previewEnd: "To koniec podglądu. Nic nie wysłano. Zostałoby wysłane:",
    previewAlso: (more) => `Do tego losowy numer, po którym rozpoznaje się powtórzone wysłanie${more ? ", oraz:" : "."}`,
    previewAgain: "Przejdź jeszcze raz",
    previewGone: "Szkicu nie można pokazać: nie ma go, coś trzeba w nim jeszcze poprawić albo trzeba się ponownie zalogować. Nic nie wysłano.",
  },
};

/** What the page itself speaks; questions may be asked in other languages. */
export const LANGUAGES = Object.keys(WORDS);

/** The words of a language; English where the interface does not speak it. */
export function wordsOf(language) {
  return WORDS[language] ?? WORDS.en;
}
