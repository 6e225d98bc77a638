import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { pause } from '../../base/pause.ts'
import { quiet } from '../../base/quiet.ts'
import type { Signal } from '../../base/signal.ts'
import { type Nft, RuleWriter } from './nft.ts'
import type { Ruleset } from './ruleset.ts'

export interface KeptRules {
  /** For the log: `services`. */
  readonly what: string
  /** The rules as they should be; undefined: not known yet. */
  readonly rules: () => Ruleset | undefined
  /** Called when they were written. */
  readonly written?: () => Promise<void>
  /** Raised when they may have changed. */
  readonly changed: Signal
}

export interface KeepRulesDeps {
  readonly nft: Nft
  readonly clock: Clock
  readonly log: Logger
}

/** How often the rules are looked for, how long a failed attempt waits, and the pause in which changes come together. */
const CHECK_MS = 30_000
const RETRY_MS = 2000
const PAUSE_MS = 50

/** Writes the rules after each change, and again where somebody has removed them, until the signal is aborted. */
export async function keepRules(kept: KeptRules, { nft, clock, log }: KeepRulesDeps, signal: AbortSignal): Promise<void> {
  const writer = new RuleWriter(nft)
  let fault = ''
  while (!signal.aborted) {
    try {
      const rules = kept.rules()
      if (rules !== undefined) await writer.write(rules)
      if (rules !== undefined) await kept.written?.()
      fault = ''
    } catch (error) {
      const message = messageOf(error)
      if (message !== fault)
        log.warn(`rules of ${kept.what} could not be written (this needs nft and root), trying again`, { error: message })
      fault = message
    }
    await pause(clock, PAUSE_MS, signal)
    const untilMs = clock.now() + (fault === '' ? CHECK_MS : RETRY_MS)
    if ((await kept.changed.wait({ clock, untilMs, signal })) === 'late') await quiet(writer.check(), 'the next check repeats it')
  }
}
