-- Functions of pg_catalog over the relations of this database.
CREATE MACRO pggate.fn.format_type(o, m) AS (SELECT CASE
    WHEN o IS NULL THEN NULL
    WHEN m IS NOT NULL AND m >= 4 AND o IN (1043, 1042) THEN t.sql || '(' || (m - 4)::VARCHAR || ')'
    WHEN m IS NOT NULL AND m >= 4 AND o = 1700 THEN 'numeric(' || ((m - 4) >> 16)::VARCHAR || ',' || ((m - 4) & 65535)::VARCHAR || ')'
    ELSE coalesce(t.sql, '???') END
  FROM (SELECT o AS oid) q LEFT JOIN pggate.fn.type_names t ON t.oid = q.oid);
CREATE MACRO pggate.fn.pg_get_userbyid(o) AS (coalesce((SELECT r.rolname FROM pggate.pg.pg_roles r WHERE r.oid = o), 'unknown (OID=' || o::VARCHAR || ')'));
CREATE MACRO pggate.fn.pg_encoding_to_char(e) AS CASE WHEN e = 6 THEN 'UTF8' WHEN e = 0 THEN 'SQL_ASCII' ELSE '' END;
CREATE MACRO pggate.fn.pg_get_expr(e, r) AS e::VARCHAR, (e, r, p) AS e::VARCHAR;
CREATE MACRO pggate.fn.pg_get_constraintdef(o) AS (SELECT d.sql FROM pggate.fn.definitions d WHERE d.kind = 'constraint' AND d.oid = o), (o, p) AS (SELECT d.sql FROM pggate.fn.definitions d WHERE d.kind = 'constraint' AND d.oid = o);
CREATE MACRO pggate.fn.pg_get_indexdef(o) AS (SELECT d.sql FROM pggate.fn.definitions d WHERE d.kind = 'index' AND d.oid = o),
  (o, n, p) AS CASE WHEN n = 0 THEN (SELECT d.sql FROM pggate.fn.definitions d WHERE d.kind = 'index' AND d.oid = o)
    ELSE (SELECT a.attname FROM pggate.pg.pg_attribute a WHERE a.attrelid = o AND a.attnum = n) END;
CREATE MACRO pggate.fn.pg_get_viewdef(o) AS (SELECT d.sql FROM pggate.fn.definitions d WHERE d.kind = 'view' AND d.oid = o::UINTEGER), (o, p) AS (SELECT d.sql FROM pggate.fn.definitions d WHERE d.kind = 'view' AND d.oid = o::UINTEGER);
CREATE MACRO pggate.fn.pg_get_ruledef(o) AS NULL::VARCHAR, (o, p) AS NULL::VARCHAR;
CREATE MACRO pggate.fn.pg_get_triggerdef(o) AS NULL::VARCHAR, (o, p) AS NULL::VARCHAR;
CREATE MACRO pggate.fn.pg_get_partkeydef(o) AS NULL::VARCHAR;
CREATE MACRO pggate.fn.pg_get_function_result(o) AS NULL::VARCHAR;
CREATE MACRO pggate.fn.pg_get_function_arguments(o) AS NULL::VARCHAR;
CREATE MACRO pggate.fn.pg_get_function_identity_arguments(o) AS NULL::VARCHAR;
CREATE MACRO pggate.fn.pg_get_functiondef(o) AS NULL::VARCHAR;
CREATE MACRO pggate.fn.pg_get_function_sqlbody(o) AS NULL::VARCHAR;
CREATE MACRO pggate.fn.pg_get_statisticsobjdef_columns(o) AS NULL::VARCHAR;
CREATE MACRO pggate.fn.pg_get_serial_sequence(t, c) AS NULL::VARCHAR;
CREATE MACRO pggate.fn.obj_description(o, c) AS (SELECT d.description FROM pggate.pg.pg_description d JOIN pggate.pg.pg_class k ON k.oid = d.classoid WHERE d.objoid = o AND d.objsubid = 0 AND k.relname = c),
  (o) AS (SELECT max(d.description) FROM pggate.pg.pg_description d WHERE d.objoid = o AND d.objsubid = 0);
CREATE MACRO pggate.fn.col_description(o, n) AS (SELECT d.description FROM pggate.pg.pg_description d WHERE d.objoid = o AND d.objsubid = n AND d.classoid = 1259);
CREATE MACRO pggate.fn.shobj_description(o, c) AS NULL::VARCHAR;
CREATE MACRO pggate.fn.regtype_text(o) AS (SELECT t.sql FROM pggate.fn.type_names t WHERE t.oid = o);
CREATE MACRO pggate.fn.regnamespace_text(o) AS (SELECT n.nspname FROM pggate.pg.pg_namespace n WHERE n.oid = o);
CREATE MACRO pggate.fn.regtype_oid(s) AS (SELECT min(t.oid) FROM pggate.fn.type_names t WHERE t.sql = s OR t.oid IN (SELECT p.oid FROM pggate.pg.pg_type p WHERE p.typname = s));
CREATE MACRO pggate.fn.regnamespace_oid(s) AS (SELECT n.oid FROM pggate.pg.pg_namespace n WHERE n.nspname = s);
CREATE MACRO pggate.fn.regclass_oid(s, nm, path) AS (SELECT arg_min(c.oid, list_position(path, n.nspname)) FROM pggate.pg.pg_class c JOIN pggate.pg.pg_namespace n ON n.oid = c.relnamespace WHERE c.relname = nm AND (n.nspname = s OR s IS NULL AND list_contains(path, n.nspname)));
CREATE MACRO pggate.fn.relation_visible(o, path) AS (o IN (SELECT arg_min(c.oid, list_position(path, n.nspname)) FROM pggate.pg.pg_class c JOIN pggate.pg.pg_namespace n ON n.oid = c.relnamespace WHERE list_contains(path, n.nspname) GROUP BY c.relname));
CREATE MACRO pggate.fn.regclass_text(o, path) AS (SELECT CASE WHEN pggate.fn.relation_visible(c.oid, path) THEN c.relname ELSE n.nspname || '.' || c.relname END FROM pggate.pg.pg_class c JOIN pggate.pg.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = o);
CREATE MACRO pggate.fn.type_visible(o, path) AS (o IN (SELECT t.oid FROM pggate.pg.pg_type t JOIN pggate.pg.pg_namespace n ON n.oid = t.typnamespace WHERE list_contains(path, n.nspname)));
CREATE MACRO pggate.fn.always(a) AS a IS NOT NULL, (a, b) AS true, (a, b, c) AS true, (a, b, c, d) AS true;
CREATE MACRO pggate.fn.zero() AS 0::BIGINT, (a) AS 0::BIGINT, (a, b) AS 0::BIGINT;
CREATE MACRO pggate.fn.null_text(a) AS NULL::VARCHAR, (a, b) AS NULL::VARCHAR, (a, b, c) AS NULL::VARCHAR;
CREATE MACRO pggate.fn.quote_ident(s) AS CASE WHEN regexp_full_match(s, '[a-z_][a-z0-9_$]*') THEN s ELSE '"' || replace(s, '"', '""') || '"' END;
CREATE MACRO pggate.fn.quote_literal(s) AS '''' || replace(s::VARCHAR, '''', '''''') || '''';
CREATE MACRO pggate.fn.array_to_string(a, s) AS array_to_string(a, s), (a, s, n) AS array_to_string(list_transform(a, lambda x: coalesce(x::VARCHAR, n)), s);
CREATE MACRO pggate.fn.pg_size_pretty(n) AS CASE WHEN n < 10240 THEN n::VARCHAR || ' bytes' WHEN n < 10485760 THEN (n // 1024)::VARCHAR || ' kB' ELSE (n // 1048576)::VARCHAR || ' MB' END;
CREATE MACRO pggate.fn.expandarray(a) AS list_transform(range(1, len(a) + 1), lambda i: {'x': a[i], 'n': i});
CREATE MACRO pggate.fn.pair_x(p) AS p.x;
CREATE MACRO pggate.fn.pair_n(p) AS p.n;
