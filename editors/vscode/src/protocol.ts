// What the server sends: the parts of `docs/protocol.md` that are shown here.

/** A path or a line; an object if it is not UTF-8. */
export type ByteText = string | { hex: string };

export interface Via {
  kind: string;
  program: string;
  model?: string;
  /** The person that a program works for. */
  for?: { name: string };
}

export interface Person {
  name: string;
  email: string;
  via?: Via;
}

export interface CommentView {
  id: string;
  short: string;
  author: Person;
  at: number;
  text: string;
  /** The text, made harmless by the server, to be rendered. */
  markdown?: string;
  edited: number | null;
  proposals: number;
  withdrawn: boolean;
  draft: boolean;
  suggests: boolean;
  suggestion?: { state: string; diff?: ByteText };
  trust?: "signed" | "here" | "unsigned" | "bad";
}

export interface Candidate {
  path: ByteText;
  start: number | null;
  end: number | null;
  confidence: number;
}

export interface PositionView {
  state: "anchored" | "shifted" | "outdated" | "orphaned";
  side: "new" | "old";
  path: ByteText | null;
  start: number | null;
  end: number | null;
  confidence: number;
  reason: string;
  candidates: Candidate[];
}

export interface AnchorView {
  path: ByteText;
  side: "new" | "old";
  start: number | null;
  end?: number | null;
  lines: (ByteText | null)[];
  before?: (ByteText | null)[];
  after?: (ByteText | null)[];
}

/** What somebody proposes for a thread: that it is done or obsolete at a commit, or that it belongs elsewhere. */
export interface ProposalView {
  id: string;
  author: Person;
  state: "pending" | "accepted" | "declined" | "replaced" | "settled" | "overtaken";
  done?: string;
  obsolete?: boolean;
  uncommitted?: boolean;
  place?: AnchorView;
  message?: { commit: string };
  text?: string;
}

export interface ThreadView {
  id: string;
  short: string;
  status: "open" | "resolved" | "withdrawn";
  review: string | null;
  severity: string | null;
  draft: boolean;
  position: PositionView | null;
  anchor: AnchorView | null;
  replies: number;
  suggestion?: "pending" | "applies" | "done" | "conflict";
  proposals?: ProposalView[];
  comments: CommentView[];
}

/** How the place of a thread is known, and its lines, counted from zero, the last one excluded. */
export type Place = [kind: "at" | "being-edited" | "gone" | "file", lines: [number, number] | null];

export interface ToldPlaces {
  uri: string;
  version: number | null;
  places: Place[];
}

export interface ToldThreads extends ToldPlaces {
  /** The root of the repository; nothing if the document was closed. */
  root: string | null;
  threads: ThreadView[];
}

export interface ReviewView {
  id: string;
  short: string;
  title: string;
  description: string;
  author: Person;
  branch: ByteText;
  base: ByteText;
  tip: string | null;
  head: string;
  status: "open" | "merged" | "closed";
  draft: boolean;
  verdicts: { author: Person; verdict: "approve" | "changes" | "comment"; head: string; text: string }[];
  threads: { open: number; resolved: number };
}

export interface DiffLine {
  before: number | null;
  after: number | null;
  text: ByteText;
  threads?: ThreadView[];
  no_newline?: boolean;
}

export interface DiffFile {
  before: ByteText | null;
  after: ByteText | null;
  binary: boolean;
  lines: DiffLine[];
  threads: ThreadView[];
  added: number;
  deleted: number;
}

export interface DiffReply {
  base: string | null;
  head: { commit: string | null };
  files: DiffFile[];
  threads: ThreadView[];
}

/** Text of a path or line; bytes that are not UTF-8 are shown as such. */
export function textOf(bytes: ByteText | null | undefined): string {
  if (bytes === null || bytes === undefined) {
    return "";
  }
  return typeof bytes === "string" ? bytes : Buffer.from(bytes.hex, "hex").toString("utf8");
}
