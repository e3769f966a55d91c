//! The plain backend: evaluates the array IR itself, before any pass, one operation after the other.
