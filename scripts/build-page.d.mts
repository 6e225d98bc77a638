/** Makes the page's files in the folder. Resolves with the sizes of the bundles, in bytes by name. */
export function buildPage(folder?: string): Promise<Readonly<Record<string, number>>>
