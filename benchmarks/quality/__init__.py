"""How good results are, on public questions with answer spans and on a set of our own (`asked`)."""
