/** Whether this program runs from the sources of a checkout, not from a built package. */
export const IN_CHECKOUT: boolean = import.meta.url.endsWith('.ts')

/** As which its user runs this program, and messages show it: npm sets the variable for `npx`. */
export const OWN_COMMAND: string = IN_CHECKOUT ? 'npm run bowsprit --' : process.env.npm_command === 'exec' ? 'npx bowsprit' : 'bowsprit'
