/** A Go type as `encoding/json` sees it. */
export type GoType =
  | {
      readonly kind: 'string' | 'bool' | 'int32' | 'int64' | 'float32' | 'float64' | 'duration' | 'bytes' | 'any'
      /** Its name, if Go has one for it. */
      readonly name?: string
      /** A non-pointer duration has its own UnmarshalJSON, which is called for null, too. */
      readonly readsNull?: true
    }
  | { readonly kind: 'list'; readonly of: GoType }
  | { readonly kind: 'map'; readonly of: GoType }
  | GoStruct

export interface GoStruct {
  readonly kind: 'struct'
  /** With its package: `v1.Plugin`. */
  readonly name: string
  readonly fields: Readonly<Record<string, GoType>>
}

export const goString: GoType = { kind: 'string' }
export const goBool: GoType = { kind: 'bool' }
export const goInt32: GoType = { kind: 'int32' }
export const goFloat32: GoType = { kind: 'float32' }
export const goDuration: GoType = { kind: 'duration' }
export const goBytes: GoType = { kind: 'bytes' }
export const goInt64: GoType = { kind: 'int64' }
export const goAny: GoType = { kind: 'any' }
export const listOf = (of: GoType): GoType => ({ kind: 'list', of })
export const mapOf = (of: GoType): GoType => ({ kind: 'map', of })
export const struct = (name: string, fields: Readonly<Record<string, GoType>>): GoStruct => ({ kind: 'struct', name, fields })

/** The name in errors. */
export function goTypeName(type: GoType): string {
  if (type.kind === 'list') return `[]${goTypeName(type.of)}`
  if (type.kind === 'map') return `map[string]${goTypeName(type.of)}`
  if (type.kind === 'struct') return type.name
  if (type.name !== undefined) return type.name
  if (type.kind === 'duration') return 'string'
  if (type.kind === 'bytes') return '[]uint8'
  return type.kind === 'any' ? 'interface {}' : type.kind
}
