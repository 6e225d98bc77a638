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
