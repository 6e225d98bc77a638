/** Selects requests that change something; reports of operators about themselves do not. */
export const WRITES = 'verb!=get,verb!=list,verb!=watch,target.group!=bowsprit.dev'
