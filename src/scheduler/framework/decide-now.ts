import type { PodInfo } from '../cache/pod-info.ts'
import { decide } from './decide.ts'
import type { DecideOptions } from './decide-options.ts'
import type { Decision } from './decision.ts'
import type { Profile } from './profile.ts'

/** The decision over a profile without external plugins, whose post-filters are synchronous. */
export function decideNow(profile: Profile, pod: PodInfo, options: DecideOptions): Decision {
  const decision = decide(profile, pod, options)
  if (decision instanceof Promise)
    throw new Error(`a post-filter of profile ${profile.plugins.schedulerName} takes time: await decide() instead`)
  return decision
}
