"""Makes the local models: data, vocabulary, training, export and evaluation. Torch is needed only here."""

__all__: list[str] = []
