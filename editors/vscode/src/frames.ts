// Work in small portions, so that the window never freezes: at most 50 steps a frame, the newest step of each name.

const MOST = 50;
const FRAME = 16;

export class Frames {
  private readonly waiting = new Map<string, () => void>();
  private isRunning = false;
  /** When the present frame began, and how many steps it has room for. */
  private began = -Infinity;
  private left = MOST;

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
    const now = performance.now();
    if (now - this.began >= FRAME) {
      this.began = now;
      this.left = MOST;
    }
    for (const [name, step] of this.waiting) {
      if (this.left === 0) {
        setTimeout(() => this.frame(), this.began + FRAME - now);
        return;
      }
      this.left -= 1;
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
