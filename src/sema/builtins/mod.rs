//! The built-ins: one function each, which checks its operands and builds its operations.
