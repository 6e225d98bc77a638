/**
 * A function that remembers its results by text. When `most` are kept, all of them are dropped: a read costs a look-up, which an `LruMap`,
 * whose reads change the order, does not offer to hot paths. What throws is not kept, nor what `keeps` refuses.
 */
export function memo<V extends NonNullable<unknown> | null>(
  make: (text: string) => V,
  { most, keeps }: { readonly most: number; readonly keeps?: (text: string, made: V) => boolean },
): (text: string) => V {
  const kept = new Map<string, V>()
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined) return known
    const made = make(text)
    if (keeps?.(text, made) === false) return made
    if (kept.size >= most) kept.clear()
    kept.set(text, made)
    return made
  }
}
