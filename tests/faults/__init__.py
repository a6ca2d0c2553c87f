"""What can break under the application, broken for real: the archive is kept, and a French sentence says what to do."""
