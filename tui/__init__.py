"""outbound: see what one model call of an LLM agent really receives."""
