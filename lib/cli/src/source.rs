//! What gives the items of an ordered map: the lines of files, whole files, the pages of archives.

/// The reason why a source pauses and calls back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadPause {
    /// The next read would block.
    Idle,
    /// A line that is too long is about to be saved. All lines before it must be processed first,
    /// so that skipped lines are saved in order.
    SavingLongLine,
}

/// The callback at a [`ReadPause`].
pub type OnPause<'a> = dyn FnMut(ReadPause) -> anyhow::Result<()> + 'a;

/// A source of items, which a thread of its own reads.
pub trait ItemSource: Send + 'static {
    /// An item, such as a line.
    type Item: Send;

    /// Returns the next item; `None` at the end. Calls `on_pause` at each [`ReadPause`].
    ///
    /// # Errors
    /// Fails if the source cannot be read, or `on_pause` fails. The items before are processed.
    fn next_item(&mut self, on_pause: &mut OnPause<'_>) -> anyhow::Result<Option<Self::Item>>;

    /// Returns the bytes of memory that an item takes; 0 if the number of items bounds their
    /// memory.
    fn item_bytes(_item: &Self::Item) -> usize {
        0
    }

    /// Returns the number of bytes read so far, for the progress.
    fn bytes_read(&self) -> u64;
}
