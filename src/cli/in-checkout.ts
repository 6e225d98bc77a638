/** Whether this program runs from the sources of a checkout, not from a built package. */
export const IN_CHECKOUT: boolean = import.meta.url.endsWith('.ts')
