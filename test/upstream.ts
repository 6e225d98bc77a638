import { existsSync } from 'node:fs'
import path from 'node:path'

const given = process.env.BOWSPRIT_RECORDINGS
const shared = given === undefined || given === 'seed' ? path.join(import.meta.dirname, '..', '..', 'shared', 'upstream') : given

/**
 * Whether all recordings are here; else a seed of them is, which is part of the repository. `BOWSPRIT_RECORDINGS` names their folder, or
 * says `seed` to use the seed in any case.
 */
export const allRecorded = given !== 'seed' && existsSync(shared)

/** The answers recorded from Kubernetes: all of them, or the seed that `scripts/select-recordings.ts` chose. */
export const upstream = allRecorded ? shared : path.join(import.meta.dirname, 'recordings')
