import { dns1123Label, dns1123Subdomain, pathSegmentName, pathSegmentPrefix } from '../names.ts'

/** Validates a name, or a `generateName` prefix if `generated`: the shape of `ResourceRules.validateName`. */
export type NameRule = (name: string, generated: boolean) => readonly string[]

// A prefix may end with a dash, because the suffix follows.
const masked = (name: string, generated: boolean): string =>
  generated && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name

export const subdomainName: NameRule = (name, generated) => dns1123Subdomain(masked(name, generated))
export const labelName: NameRule = (name, generated) => dns1123Label(masked(name, generated))

export const segmentName: NameRule = (name, generated) => (generated ? pathSegmentPrefix(name) : pathSegmentName(name))
