/**
 * Searches known mistakes in a thread of its own. The test runner follows each promise of its own thread, which doubles the cost of a
 * search.
 */
import { parentPort } from 'node:worker_threads'
import { type ReplayedFinding, searchOperator } from '../../../src/testing/operator-search/search-operator.ts'
import { KNOWN_MISTAKES } from './known-mistakes.ts'

/** A search for a mistake by its id. */
export interface KnownSearch {
  readonly id: string
  readonly mended: boolean
  /** Default: everything is tried. */
  readonly replay?: readonly ReplayedFinding[]
}

export interface KnownFinding extends ReplayedFinding {
  /** `HARM, FAULT: SYMPTOM` */
  readonly told: readonly string[]
}

async function search({ id, mended, replay }: KnownSearch): Promise<KnownFinding[]> {
  const mistake = KNOWN_MISTAKES.find((known) => known.id === id)
  if (mistake === undefined) throw new Error(`no mistake ${id}`)
  const { operator, install, sample } = mistake
  const only = replay && { replay }
  const { findings } = await searchOperator({ operator: operator(mended), install, samples: [sample], explore: true, ...only })
  return findings.map(({ harm, steps, fault, symptoms }) => ({
    told: symptoms.map(({ text }) => `${harm}, ${fault?.kind ?? 'no fault'}: ${text}`),
    steps,
    fault: fault && { kind: fault.kind, what: fault.what },
  }))
}

parentPort?.on('message', async (asked: KnownSearch) => parentPort?.postMessage(await search(asked)))
