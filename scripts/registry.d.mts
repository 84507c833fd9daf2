export interface PrivateRegistry {
  readonly address: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export function startRegistry(folder: string, options?: { readonly users?: string }): Promise<PrivateRegistry>;
