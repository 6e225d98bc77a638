import type { Result } from './measures.ts'

/** A row of the page's measures, which have no counterpart in Kubernetes. */
export const row = (measure: string, value: string, aim: string): Result => ({ measure, value, aim, upstream: '–' })
export const ms = (value: number) => `${value.toFixed(0)} ms`
