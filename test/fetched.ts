import { type FetchedPackage, fetchedPackage, NotFetchedError } from '../scripts/fetched-package.ts'

/** For `test(name, { skip })`: false, or why a package that the test downloads is not available. In CI that is an error. */
export function fetched(...what: FetchedPackage[]): string | false {
  try {
    for (const one of what) fetchedPackage(one)
    return false
  } catch (error) {
    if (process.env.CI !== undefined || !(error instanceof NotFetchedError)) throw error
    return error.message
  }
}
