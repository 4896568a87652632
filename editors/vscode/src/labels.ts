// Words about threads and comments. Nothing here knows the editor.

import type { CommentView, Person, Place, ProposalView, ReviewView, ThreadView } from "./protocol.ts";
import { textOf } from "./protocol.ts";

/** What is shown of words of others in one line: nothing that is hidden or turned around, and no more than fits. */
export function plain(words: string, most = 80): string {
  const visible = words.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  const letters = Array.from(visible);
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : visible;
}

/** How certain the place of a thread is; nothing if it is where it was put. */
export function stateOf(thread: ThreadView, kind: Place[0] | undefined): string | undefined {
  if (kind === "being-edited") {
    return "being edited";
  }
  if (kind === "gone") {
    return "its lines are gone";
  }
  const position = thread.position;
  if (!position || position.state === "anchored") {
    return position?.side === "old" ? "on deleted lines" : undefined;
  }
  const reason = plain(position.reason, 30);
  if (position.state === "orphaned") {
    return `orphaned (${reason})`;
  }
  return `${position.state} (${Math.floor(position.confidence * 100)} %, ${reason})`;
}

/** The label of a thread: severity, status, place, suggestion. */
export function threadLabel(thread: ThreadView, kind?: Place[0]): string {
  const parts: string[] = [];
  if (thread.severity && thread.severity !== "note") {
    parts.push(plain(thread.severity, 20));
  }
  if (thread.draft) {
    parts.push("draft");
  }
  if (thread.status !== "open") {
    parts.push(thread.status);
  }
  const state = stateOf(thread, kind);
  if (state) {
    parts.push(state);
  }
  const suggestions: Record<string, string> = {
    applies: "suggests a change",
    done: "suggestion applied",
    conflict: "suggestion no longer applies",
    pending: "suggests a change to a file that is not here",
  };
  const suggestion = thread.suggestion && suggestions[thread.suggestion];
  if (suggestion) {
    parts.push(suggestion);
  }
  parts.push(...new Set(pendingProposals(thread).map(kindOf)));
  return [thread.short, ...parts].join(" · ");
}

/** What nobody has answered yet, oldest first. */
export function pendingProposals(thread: ThreadView): ProposalView[] {
  return (thread.proposals ?? []).filter(({ state }) => state === "pending");
}

/** What kind of proposal it is, in the words of the other clients. */
function kindOf({ done, obsolete, place, message }: ProposalView): string {
  if (done !== undefined) {
    return obsolete ? "proposed as obsolete" : "proposed as done";
  }
  return place || message ? "move proposed" : "proposal";
}

/** What is proposed, in a few words. */
export function proposedWords({ done, obsolete, uncommitted, place, message }: ProposalView): string {
  if (done !== undefined && uncommitted && !obsolete) {
    return "done, not committed yet";
  }
  if (done !== undefined) {
    return `${obsolete ? "no longer fits the code" : "done"} at ${plain(done).slice(0, 7)}`;
  }
  if (place) {
    const last = place.end && place.end !== place.start ? `-${place.end}` : "";
    return `belongs to ${plain(textOf(place.path))}${place.start ? `:${place.start}${last}` : ""}`;
  }
  return message ? `belongs to the message of ${plain(message.commit).slice(0, 7)}` : "something that this version does not know";
}

/** Words in a list of choices, in which the editor draws no icon: it draws one for `$(trash)`. */
export function withoutIcons(words: string): string {
  return words.replaceAll("$(", "\\$(");
}

/** Words of a message or of a question, in which the editor makes links, also such that run a command. */
export function withoutLinks(words: string): string {
  return words.replaceAll("](", "] (");
}

/** Why something failed, for a message: paths and words of others may be in it. */
export function reasonOf(error: unknown): string {
  return withoutLinks(plain(error instanceof Error ? error.message : String(error), 1000));
}

/** Words that menus ask for. */
export function threadContext(thread: ThreadView, kind?: Place[0]): string {
  const words: string[] = [thread.status];
  if (thread.suggestion === "applies") {
    words.push("applies");
  }
  const state = thread.position?.state;
  const hasLines = (thread.anchor?.lines.length ?? 0) > 0;
  if (hasLines && (state === "outdated" || state === "orphaned" || kind === "gone" || kind === "being-edited")) {
    words.push("changed");
  }
  if ((thread.position?.candidates.length ?? 0) > 0) {
    words.push("choice");
  }
  if (pendingProposals(thread).length > 0) {
    words.push("proposed");
  }
  return words.join(" ");
}

/** Who wrote something; a program says so. */
export function authorName(person: Person): string {
  const name = plain(person.name || person.email, 60);
  if (!person.via) {
    return name;
  }
  const kind = plain(person.via.kind, 20);
  if (person.via.for) {
    return `${name} (${kind} for ${plain(person.via.for.name, 60)})`;
  }
  if (person.via.program === person.name) {
    return `${name} (${kind})`;
  }
  const model = person.via.model ? ` ${plain(person.via.model, 30)}` : "";
  return `${name} (${kind}: ${plain(person.via.program, 30)}${model})`;
}

/** What stands beside the author of a comment. */
export function commentLabel(comment: CommentView): string | undefined {
  const parts: string[] = [];
  if (comment.draft) {
    parts.push("draft");
  }
  if (comment.edited) {
    parts.push("edited");
  }
  if (comment.proposals > 0) {
    parts.push("another text is proposed");
  }
  if (comment.trust === "signed") {
    parts.push("signed");
  } else if (comment.trust === "bad") {
    parts.push("BAD SIGNATURE");
  } else if (comment.trust !== "here") {
    parts.push("unsigned");
  }
  return parts.length > 0 ? parts.join(" · ") : undefined;
}

/** How many threads are open, and how many drafts wait. */
export interface Numbers {
  open: number;
  drafts: number;
}

/** What stands in the status bar; while positions of a new head are being computed, it says so. */
export function statusText({ open, drafts }: Numbers, resolving: boolean): string {
  const waiting = drafts > 0 ? ` · ${drafts} ${drafts === 1 ? "draft" : "drafts"}` : "";
  return `${resolving ? "$(sync~spin)" : "$(comment)"} ${open}${waiting}${resolving ? " resolving" : ""}`;
}

/** The name of a branch, as people type it. */
export function branchName(name: ReviewView["branch"]): string {
  return plain(textOf(name).replace(/^refs\/(heads|remotes|tags)\//, ""), 60);
}

/** What stands behind the title of a review. */
export function reviewSummary(review: ReviewView, isCurrent: boolean): string {
  const parts = [`${branchName(review.branch)} → ${branchName(review.base)}`];
  if (review.threads.open > 0) {
    parts.push(`${review.threads.open} open`);
  }
  if (isCurrent) {
    parts.push("checked out");
  }
  if (review.status !== "open") {
    parts.push(review.status);
  }
  return parts.join(" · ");
}
