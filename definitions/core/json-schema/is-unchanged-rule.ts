/** The one rule of Kubernetes that is enforced: a value that was set stays. */
export const isUnchangedRule = (rule: string): boolean => /^\s*(self\s*==\s*oldSelf|oldSelf\s*==\s*self)\s*$/.test(rule);
