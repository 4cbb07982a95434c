// English texts of segments. Complete, like en.js.
export default {
  segments: "Segments", segments_hint: "A segment is a stretch of road that you ride again and again. All rides are searched for it.",
  segment_mark: "Mark a segment", segment_from: "Begins at", segment_to: "Ends at", segment_part: "{0} in {1}", segment_name: "Name of the segment",
  segment_save: "Save the segment", segment_saved: "{0} was saved. Older rides are being searched.", segment_needs_name: "A segment needs a name.",
  segment_times: "{0}, best {1}, ridden {2} times", segment_times_1: "{0}, ridden once: {1}", segment_times_0: "{0}, not ridden yet", segment_here: "This ride: {0}",
  effort_date: "Ride", effort_time: "Time", effort_best: "best", effort_last: "last", effort_here: "this ride", efforts_more: "Older efforts are not listed.",
  segment_rename: "Rename", segment_delete: "Hold to delete the segment", no_segments: "No segments yet.",
  segment_propose: "Find parts that you ride often", segment_searching: "Older rides are being compared …", no_proposals: "No part of 500 m or more was ridden three times this way.",
  segment_proposal: "{0} from {1} to {2}, ridden {3} times", segment_take: "Mark it",
};
