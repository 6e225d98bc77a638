import type { ObjectMeta } from '../machinery/object.ts'
import type { LabelSelectorRequirement } from './types/meta.ts'

/**
 * A value from a client before validation: every field may be absent, an enumeration is any string, and its owner may change it. The input
 * of defaults and validation; validated objects have the types of `types/`.
 */
export type Unchecked<T> = T extends string
  ? string
  : T extends LabelSelectorRequirement
    ? T
    : T extends readonly (infer Item)[]
      ? Unchecked<Item>[]
      : T extends object
        ? string extends keyof T
          ? Record<string, Unchecked<T[keyof T]>>
          : { -readonly [Field in keyof T]?: Unchecked<T[Field]> }
        : T

/** An object of a kind before validation: only its type and metadata are certain. */
export type UncheckedObject<T> = { apiVersion: string; kind: string; metadata: ObjectMeta } & Unchecked<
  Omit<T, 'apiVersion' | 'kind' | 'metadata'>
>
