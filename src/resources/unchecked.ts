import type { ObjectMeta } from '../machinery/object.ts'
import type { LabelSelectorRequirement } from './types/meta.ts'

/**
 * A value as a client wrote it and before any rule has checked it: every field may be absent, an enumeration is any text, and its owner may
 * change it. What defaults and validation read; checked objects have the types of `types/`.
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

/** An object of a kind before its rules have checked it: only its type is known, and that it has metadata. */
export type UncheckedObject<T> = { apiVersion: string; kind: string; metadata: ObjectMeta } & Unchecked<
  Omit<T, 'apiVersion' | 'kind' | 'metadata'>
>
