import { memo } from '../../../base/collections/memo.ts'

/** `f:name`: the element of a field. */
export const fieldElement: (name: string) => string = memo((name) => `f:${name}`, { most: 8192 })
