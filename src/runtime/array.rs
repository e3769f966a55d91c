//! Handles to live arrays.

use crate::backends::Buffer;
use crate::base::{DType, Literal, Span};
use crate::ledger::{BufferId, Contents};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A buffer that handles share. It is empty once it was given away.
struct Shared {
    id: BufferId,
    memory: RefCell<Option<Rc<dyn Buffer>>>,
    given: Cell<Option<Span>>,
}

/// A handle to an array. Cloning shares the buffer.
#[derive(Clone)]
pub struct Array {
    shared: Rc<Shared>,
    /// Element type.
    pub dtype: DType,
    /// Extents, row major.
    pub extents: Rc<[u64]>,
}

impl std::fmt::Debug for Array {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}{:?}", self.shared.id, self.dtype, self.extents)
    }
}

impl Array {
    /// The only handle to a buffer of its own.
    #[must_use]
    pub fn new(id: BufferId, memory: Rc<dyn Buffer>, dtype: DType, extents: Rc<[u64]>) -> Self {
        Self {
            shared: Rc::new(Shared { id, memory: RefCell::new(Some(memory)), given: Cell::new(None) }),
            dtype,
            extents,
        }
    }

    /// Another handle to the same buffer, seen as another type of as many bytes.
    #[must_use]
    pub fn seen_as(&self, dtype: DType, extents: Rc<[u64]>) -> Self {
        Self { shared: self.shared.clone(), dtype, extents }
    }

    /// Identity of the buffer.
    #[must_use]
    pub fn id(&self) -> BufferId {
        self.shared.id
    }

    /// The buffer, unless it was given away.
    #[must_use]
    pub fn memory(&self) -> Option<Rc<dyn Buffer>> {
        self.shared.memory.borrow().clone()
    }

    /// Takes the buffer out of this and every other handle; `at` is the call that gave it away.
    #[must_use]
    pub fn give(&self, at: Span) -> Option<Rc<dyn Buffer>> {
        self.shared.given.set(Some(at));
        self.shared.memory.borrow_mut().take()
    }

    /// Where the buffer was given away, if it was.
    #[must_use]
    pub fn given(&self) -> Option<Span> {
        self.shared.given.get()
    }

    /// Whether this is the only handle.
    #[must_use]
    pub fn is_unique(&self) -> bool {
        Rc::strong_count(&self.shared) == 1
    }

    /// Number of elements.
    #[must_use]
    pub fn elements(&self) -> u64 {
        self.extents.iter().product()
    }

    /// Size in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.elements() * self.dtype.bytes() as u64
    }

    /// What the ledger lists.
    #[must_use]
    pub fn contents(&self) -> Contents {
        Contents { dtype: self.dtype, extents: self.extents.clone(), bytes: self.bytes() }
    }

    /// The only element, if there is exactly one and the buffer was not given away.
    #[must_use]
    pub fn item(&self) -> Option<Literal> {
        if self.elements() != 1 {
            return None;
        }
        let mut bits = [0; 8];
        self.memory()?.read(0, bits.get_mut(..self.dtype.bytes())?);
        Some(Literal::new(self.dtype, u64::from_le_bytes(bits)))
    }
}
