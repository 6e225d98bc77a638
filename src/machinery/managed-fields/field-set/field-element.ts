const fieldElements = new Map<string, string>()
const FIELD_ELEMENTS = 8192

/** `f:name`: the element of a field. */
export function fieldElement(name: string): string {
  let element = fieldElements.get(name)
  if (element === undefined) {
    if (fieldElements.size >= FIELD_ELEMENTS) fieldElements.clear()
    element = `f:${name}`
    fieldElements.set(name, element)
  }
  return element
}
