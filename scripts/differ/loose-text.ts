import { isObject, type Json } from '../../src/machinery/object.ts'
import type { Draw } from './draw.ts'

/** A value as JSON in which a few members stand twice, and whole numbers have a fraction. */
export function looseText(draw: Draw, value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item) => looseText(draw, item)).join(',')}]`
  if (!isObject(value)) return Number.isInteger(value) && draw.chance(0.1) ? `${value}.0` : JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${looseText(draw, member ?? null)}`)
  return `{${[...members, ...draw.some(members, 0.05)].join(',')}}`
}
