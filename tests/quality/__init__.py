"""Figures of the product on public collections (`make quality`), and floors that the demo must not fall under."""
