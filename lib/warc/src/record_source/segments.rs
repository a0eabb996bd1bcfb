//! Records in several segments (WARC 1.1, section 7), as far as these follow one another.

use super::RecordSource;
use crate::record::RawRecord;
use crate::record_format::field;

impl RecordSource {
    /// Appends to a first segment those that follow it. With the last one, it is a whole record.
    pub(super) fn join_segments(&mut self, record: &mut RawRecord) {
        let mut number = 1;
        while record.segment_number() == Some(number) {
            let next = self.try_next_record();
            let segment = match &next {
                Ok(Some((segment, _))) => Some(segment),
                _ => None,
            };
            number += 1;
            let origin = segment.and_then(|segment| segment.field(field::SEGMENT_ORIGIN));
            let Some(segment) = segment.filter(|segment| {
                segment.segment_number() == Some(number) && origin == record.field(field::RECORD_ID)
            }) else {
                self.next = Some(next);
                return;
            };
            record.append_segment(segment, self.max_block_bytes);
        }
    }
}
