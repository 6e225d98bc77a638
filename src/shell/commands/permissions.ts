/** As Go shows what owner, group and others may: `rwxr-x---`. */
export const permissionLetters = (mode: number): string =>
  [6, 3, 0].map((shift) => [4, 2, 1].map((bit, i) => (((mode >> shift) & bit) !== 0 ? 'rwx'[i] : '-')).join('')).join('')

/** The same as `ls` shows it: with what is set beside it, `rwxrwxrwt`. */
export function listedPermissions(mode: number): string {
  const letters = [...permissionLetters(mode)]
  for (const [bit, at, letter] of [
    [0o4000, 2, 's'],
    [0o2000, 5, 's'],
    [0o1000, 8, 't'],
  ] as const)
    if ((mode & bit) !== 0) letters[at] = letters[at] === 'x' ? letter : letter.toUpperCase()
  return letters.join('')
}
