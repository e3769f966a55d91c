//! The page of each code, read from `docs/codes.md`: a text, a wrong program and a right one.
//!
//! ```text
//! ## E0301 a buffer is used after it was given away
//! text...
//! wrong:   (an indented or fenced program)
//! right:
//! ```

/// The page of one code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// `E0301`.
    pub code: String,
    /// What it means in a line.
    pub title: String,
    /// The text with both programs, as written.
    pub body: String,
}

impl Page {
    /// Title and body.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}: {}\n\n{}", self.code, self.title, self.body.trim())
    }

    /// The program in the fence that `label` (`wrong`, `right`) opens: "```arr wrong".
    #[must_use]
    pub fn program(&self, label: &str) -> Option<String> {
        let (_, after) = self.body.split_once(&format!("```arr {label}\n"))?;
        after.split_once("```").map(|(program, _)| program.to_owned())
    }
}

/// All pages in the order of the document.
#[must_use]
pub fn all() -> Vec<Page> {
    let document = include_str!("../../docs/codes.md");
    let pages = document.split("\n## ").skip(1);
    pages
        .filter_map(|page| {
            let (head, body) = page.split_once('\n')?;
            let (code, title) = head.split_once(' ')?;
            Some(Page { code: code.to_owned(), title: title.to_owned(), body: body.to_owned() })
        })
        .collect()
}

/// The page of a code, in any case.
#[must_use]
pub fn find(code: &str) -> Option<Page> {
    all().into_iter().find(|page| page.code.eq_ignore_ascii_case(code))
}
