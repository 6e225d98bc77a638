/** As `ls` and Go show what owner, group and others may: `rwxr-x---`. */
export const permissionLetters = (mode: number): string =>
  [6, 3, 0].map((shift) => [4, 2, 1].map((bit, i) => (((mode >> shift) & bit) !== 0 ? 'rwx'[i] : '-')).join('')).join('')
