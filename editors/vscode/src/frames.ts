// Work in small portions, so that the window never freezes: at most 50 steps a frame, the newest step of each name.

const MOST = 50;
const FRAME = 16;

export class Frames {
  private readonly waiting = new Map<string, () => void>();
  private isRunning = false;

  /** Has a step made: at once if the frame has room, else in a later one. */
  add(name: string, step: () => void): void {
    this.waiting.set(name, step);
    if (!this.isRunning) {
      this.isRunning = true;
      // After what came with the same message.
      queueMicrotask(() => this.frame());
    }
  }

  /** A step that is not needed any more. */
  drop(name: string): void {
    this.waiting.delete(name);
  }

  private frame(): void {
    let left = MOST;
    for (const [name, step] of this.waiting) {
      if (left-- === 0) {
        setTimeout(() => this.frame(), FRAME);
        return;
      }
      this.waiting.delete(name);
      try {
        step();
      } catch (error) {
        // The others are made all the same.
        console.error("postil", error);
      }
    }
    this.isRunning = false;
  }
}
