//! The ownership rules by name, so that a test can take each away and see the proof fail.
//!
//! `docs/proof.md` states them, each with a program of two lines. Only tests leave one out: [`super::check`] has all.

/// One rule of the caller's half of the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// R1a What is given away is dead.
    GivenIsDead,
    /// R1b Every leaf that may share its buffer is dead with it.
    AliasesDie,
    /// R1c Binding a name anew makes that name whole, and no other.
    RebindingRevivesOne,
    /// R2a `y = x` shares.
    BindingShares,
    /// R2b The result of a function that may return its argument shares it.
    ResultsShare,
    /// R2c A new share is an alias of every alias.
    AliasOfAlias,
    /// R3a Where paths join, what may share on either may share.
    RelationsUnite,
    /// R3b What is given away on either path is given away, maybe.
    EitherPath,
    /// R3c What is maybe given away may not be used.
    MaybeIsGiven,
    /// R3d A loop is walked until its head covers every round.
    Rounds,
    /// R4a One call gives a buffer away once.
    GivenOnce,
    /// R4b One call does not read what it gives away, through another argument.
    NotBesideReader,
    /// R4c One call does not give away what its function captures.
    NotBesideCapture,
    /// R4d A capture is read by each call.
    CaptureIsRead,
    /// R5 A borrowed parameter is not given on, whatever name its buffer has by then.
    BorrowedStays,
}

impl Rule {
    /// All of them, in the order of the page.
    pub const ALL: [Self; 15] = [
        Self::GivenIsDead,
        Self::AliasesDie,
        Self::RebindingRevivesOne,
        Self::BindingShares,
        Self::ResultsShare,
        Self::AliasOfAlias,
        Self::RelationsUnite,
        Self::EitherPath,
        Self::MaybeIsGiven,
        Self::Rounds,
        Self::GivenOnce,
        Self::NotBesideReader,
        Self::NotBesideCapture,
        Self::CaptureIsRead,
        Self::BorrowedStays,
    ];
}

/// The rules in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules(u32);

impl Default for Rules {
    fn default() -> Self {
        Self(u32::MAX)
    }
}

impl Rules {
    /// All but one.
    #[must_use]
    pub fn without(rule: Rule) -> Self {
        Self(!(1 << rule as u32))
    }

    /// Whether a rule is in force.
    #[must_use]
    pub fn has(self, rule: Rule) -> bool {
        self.0 & (1 << rule as u32) != 0
    }
}
