"""What answers will be able to tell, before anyone is asked: margins, differences that would be found, and how many answers that takes."""
