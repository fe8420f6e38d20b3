"""The v4 stages, evaluation over all calls, materialising and trace. Imports nothing that draws."""
