import type { TerminalSize } from '../../wire/streams.ts'

/** What a user does in a terminal. */
export interface TerminalEvents {
  onKeys(text: string): void
  onSize(size: TerminalSize): void
  /** The keys that leave it: others belong to the program. */
  onLeave(): void
}

/** A terminal that is shown. */
export interface TerminalScreen {
  size(): TerminalSize
  write(bytes: Uint8Array): void
  /** Begins anew. */
  reset(): void
  /** Without a terminal at the other end, lines end as in a file. */
  setTty(hasTty: boolean): void
}

declare global {
  interface Window {
    /** Of the frame of a terminal. */
    openTerminal?(events: TerminalEvents): TerminalScreen
  }
}
