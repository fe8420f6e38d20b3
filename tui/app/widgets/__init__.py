"""Widgets: they hold no rules, draw what they are given and post messages that say what the user asked for."""
