import { dns1123Label, dns1123Subdomain, pathSegmentName, pathSegmentPrefix } from '../names.ts'

/** Validates a name, or a `generateName` prefix if `generated`. */
export type NameRule = (name: string, generated: boolean) => readonly string[]

/** The rule of a kind for the name of this object. */
export function nameRule<T>(
  { validateName }: { validateName?(name: string, generated: boolean, object: T): readonly string[] },
  object: T,
): NameRule | undefined {
  return validateName && ((name, generated) => validateName(name, generated, object))
}

// A prefix may end with a dash, because the suffix follows.
const masked = (name: string, generated: boolean): string =>
  generated && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name

export const subdomainName: NameRule = (name, generated) => dns1123Subdomain(masked(name, generated))
export const labelName: NameRule = (name, generated) => dns1123Label(masked(name, generated))

export const segmentName: NameRule = (name, generated) => (generated ? pathSegmentPrefix(name) : pathSegmentName(name))
