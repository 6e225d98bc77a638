import type { PodInfo } from '../cache/pod-info.ts'
import { decide } from './decide.ts'
import type { DecideOptions } from './decide-options.ts'
import type { Decision } from './decision.ts'
import type { Profile } from './profile.ts'

/** The decision for a pod that nobody outside is asked about, over a profile without guests. */
export function decideNow(profile: Profile, pod: PodInfo, options: DecideOptions): Decision {
  const decision = decide(profile, pod, options)
  if (decision instanceof Promise)
    throw new Error(`a post-filter of profile ${profile.plugins.schedulerName} takes time: await decide() instead`)
  return decision
}
