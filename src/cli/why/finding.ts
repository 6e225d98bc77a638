import type { Event } from '../../resources/types/core.ts'

/** Something that keeps an object from being as it should. */
export interface Finding {
  /** What is wrong, without a full stop. */
  readonly message: string
  /** What to do about it. */
  readonly help?: string
}

/** What is known of an object's state. */
export interface Diagnosis {
  /** The state in a few words: `1 of 3 replicas are available`. */
  readonly summary: string
  /** Empty: nothing was found. The first is the one to look at first. */
  readonly findings: readonly Finding[]
}

/** A diagnosis as text. `object`: `deployment default/web`. */
export const diagnosisText = (object: string, { summary, findings }: Diagnosis): string =>
  [`${object}: ${summary}`, ...(findings.length === 0 ? [] : ['', findingsText(findings)])].join('\n')

/** One finding a line, each with its help below. */
export const findingsText = (findings: readonly Finding[]): string =>
  findings.flatMap(({ message, help }) => [`- ${message}`, ...(help === undefined ? [] : [`  ${help}`])]).join('\n')

/** The last warning of a reason among events of one object. */
export function lastWarning(events: readonly Event[], ...reasons: readonly string[]): Event | undefined {
  return events
    .filter(({ type, reason = '' }) => type === 'Warning' && reasons.includes(reason))
    .sort((a, b) => timeOf(a).localeCompare(timeOf(b)))
    .at(-1)
}

const timeOf = ({ lastTimestamp, eventTime }: Event) => lastTimestamp ?? eventTime ?? ''
