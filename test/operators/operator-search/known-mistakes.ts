import { OTHER_MISTAKES } from './other-mistakes.ts'
import { PUBLISHED_BUGS } from './published-bugs.ts'

export const KNOWN_MISTAKES = [...PUBLISHED_BUGS, ...OTHER_MISTAKES]
