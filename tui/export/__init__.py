"""What an evaluation says, as text, JSON and CSV. Imports nothing that draws."""
