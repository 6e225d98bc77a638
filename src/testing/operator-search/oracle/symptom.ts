/** How bad a fault is for those who use the operator, worst first. */
export const HARMS = ['data lost', 'stuck', 'wrong', 'noisy'] as const
/** One of them. */
export type Harm = (typeof HARMS)[number]

/** Something that is not as it should be. */
export interface Symptom {
  readonly harm: Harm
  /** Which rule was broken. */
  readonly rule: string
  readonly text: string
}

/** Kinds whose loss is a loss of data. */
const PRECIOUS = new Set(['PersistentVolumeClaim', 'PersistentVolume', 'Secret'])

export const isPrecious = (kind: string) => PRECIOUS.has(kind)
export const kindOf = (text: string) => text.slice(0, text.indexOf(' '))

/** Symptoms of one cause have the same text but for names, positions and values. */
export const symptomCause = ({ rule, text }: Symptom): string =>
  `${rule}: ${text
    .replace(/ is .*?, not .*$/s, ' differs')
    .replaceAll(/\[[^\]]*\]/g, '[]')
    .replaceAll(/\d+/g, '#')}`

export const byHarm = (a: Symptom, b: Symptom) => HARMS.indexOf(a.harm) - HARMS.indexOf(b.harm)
