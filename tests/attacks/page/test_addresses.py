"""What addresses give away: the token of an invitation, and where a redirect leads."""

from __future__ import annotations

import httpx
import pytest

from deniable.survey.invitations import invite

# One server and one browser for all of them.
pytestmark = pytest.mark.xdist_group("browser")


def test_a_token_leaves_the_address_bar_and_is_neither_shown_nor_printed(served, victim):
    address = served("guests", head="invited: true\n")
    ada, ben = invite(served.store, "guests", [{"firstname": "Ada"}, {"firstname": "Ben"}])
    person = victim()
    assert person.opens(f"{address}?lang=en#{ada['token']}")
    assert person.page.url == f"{address}?lang=en"
    assert ada["token"] not in person.page.content()
    # The browser prints its address bar above every page.
    assert ada["token"].encode() not in person.page.pdf(display_header_footer=True)
    assert person.page.evaluate("JSON.stringify(history.state)") == "null"
    person.page.reload()
    person.page.get_by_role("button", name="Start").wait_for()
    # Another link in the same tab is another person's.
    person.page.evaluate(f"location.hash = '{ben['token']}'")
    person.page.wait_for_url(f"{address}?lang=en")
    person.page.get_by_role("button", name="Start").wait_for()
    sent = []
    person.page.on("request", lambda request: sent.append(request.post_data) if request.method == "POST" else None)
    person.answers(True)
    assert f'"token":"{ben["token"]}"' in sent[0]
    assert person.page.evaluate("JSON.stringify(sessionStorage)") == "{}"


@pytest.mark.parametrize("path", ["/s/elsewhere/", "/s/elsewhere/?lang=pl", "/organiser", "/organiser/"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_no_redirect_is_built_from_what_a_request_says_of_its_host(served, path, scheme):
    served("elsewhere")
    headers = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": scheme}
    answer = httpx.get(served.url + path, headers=headers)
    where = answer.headers["Location"]
    assert where.startswith("/")
    assert not where.startswith("//")
    assert "evil.example" not in where
    if "elsewhere" in path:
        assert where == path.replace("elsewhere/", "elsewhere")
