/** What a simulated container can do of which nothing is known but its image; `scriptOf` has their meaning. */
export const UNKNOWN_PROGRAMS = ['succeed', 'run', 'fail'] as const
export type UnknownPrograms = (typeof UNKNOWN_PROGRAMS)[number]
