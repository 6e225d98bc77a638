import { existsSync } from 'node:fs'
import path from 'node:path'

const shared = path.join(import.meta.dirname, '..', '..', 'shared', 'upstream')

/** Whether all recordings are here; else a seed of them is, which stands in the repository. `BOWSPRIT_RECORDINGS=seed` takes the seed in any case. */
export const allRecorded = existsSync(shared) && process.env.BOWSPRIT_RECORDINGS !== 'seed'

/** The answers recorded from Kubernetes: all of them, or the seed that `scripts/select-recordings.ts` chose. */
export const upstream = allRecorded ? shared : path.join(import.meta.dirname, 'recordings')
