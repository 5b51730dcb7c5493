-- What DuckDB cannot say in one expression of PostgreSQL's grammar. An error
-- that starts with the sign chr(1) carries its SQLSTATE.
CREATE SCHEMA IF NOT EXISTS pggate.dialect;

CREATE OR REPLACE MACRO pggate.dialect.fail(state, message) AS
    error(chr(1) || 'SQLSTATE ' || state || chr(1) || message);

-- Arithmetic
CREATE OR REPLACE MACRO pggate.dialect.nonzero(x) AS
    CASE WHEN x = 0 THEN pggate.dialect.fail('22012', 'division by zero') ELSE x END;

-- n / d to 16 digits in two steps of eight, in 64 bits for |d| up to 4 * 10^10:
-- the usual case, and six times as fast as 128 bits.
CREATE OR REPLACE MACRO pggate.dialect.quotient_small(n, d) AS
    CAST(CAST(n // d AS HUGEINT) * 10000000000000000
        + ((n % d) * 100000000 // d) * 100000000
        + ((((n % d) * 100000000) % d) * 200000000 + CASE WHEN n < 0 THEN -abs(d) ELSE abs(d) END) // (2 * d)
        AS DECIMAL(38, 0)) * 0.0000000000000001;

-- n / d to 16 digits, rounded half away from zero. Both are HUGEINT. What is
-- too large to be shifted by 16 digits has no digits after the point that a
-- double would lose.
CREATE OR REPLACE MACRO pggate.dialect.quotient(n, d) AS
    CASE
        WHEN d = 0 THEN pggate.dialect.fail('22012', 'division by zero')
        WHEN n BETWEEN -9000000000000000000 AND 9000000000000000000 AND d BETWEEN -40000000000 AND 40000000000
        THEN pggate.dialect.quotient_small(CAST(n AS BIGINT), CAST(d AS BIGINT))
        WHEN n BETWEEN -8000000000000000000000 AND 8000000000000000000000
            AND d BETWEEN -10000000000000000000000000000000000000 AND 10000000000000000000000000000000000000
        THEN CAST((n * 20000000000000000 + CASE WHEN n < 0 THEN -abs(d) ELSE abs(d) END) // (2 * d) AS DECIMAL(38, 0)) * 0.0000000000000001
        ELSE CAST(CAST(n AS DOUBLE) / CAST(d AS DOUBLE) AS DECIMAL(38, 16))
    END;

-- The same where n and d must be computed only once.
CREATE OR REPLACE MACRO pggate.dialect.quotient_once(n, d) AS
    list_transform([{'n': n, 'd': d}], lambda r: pggate.dialect.quotient(r.n, r.d))[1];

-- x * unit as HUGEINT, for a decimal with no more digits than unit has zeros.
CREATE OR REPLACE MACRO pggate.dialect.scaled(x, unit) AS
    CAST(trunc(x) AS HUGEINT) * unit + CAST((x - trunc(x)) * unit AS HUGEINT);

CREATE OR REPLACE MACRO pggate.dialect.width_bucket(x, low, high, n) AS
    CAST(CASE
        WHEN n <= 0 THEN pggate.dialect.fail('2201G', 'count must be greater than zero')
        WHEN low = high THEN pggate.dialect.fail('2201G', 'lower bound cannot equal upper bound')
        WHEN low < high AND x < low OR low > high AND x > low THEN 0
        WHEN low < high AND x >= high OR low > high AND x <= high THEN n + 1
        ELSE floor(CAST(x - low AS DOUBLE) * n / CAST(high - low AS DOUBLE)) + 1
    END AS INTEGER);

-- Text forms
CREATE OR REPLACE MACRO pggate.dialect.float_text(x) AS
    CASE
        WHEN isnan(x) THEN 'NaN'
        WHEN isinf(x) THEN CASE WHEN x > 0 THEN 'Infinity' ELSE '-Infinity' END
        WHEN abs(x) >= 1e15 AND abs(x) < 1e16
        THEN replace(regexp_replace(regexp_replace(regexp_replace(CAST(x AS VARCHAR), '\.0$', ''), '0+$', ''), '^(-?\d)(\d*)$', '\1.\2e+15'), '.e', 'e')
        ELSE regexp_replace(CAST(x AS VARCHAR), '\.0$', '')
    END;

CREATE OR REPLACE MACRO pggate.dialect.interval_text(x) AS
    regexp_replace(regexp_replace(
        replace(replace(CAST(x AS VARCHAR), ' months', ' mons'), ' month', ' mon'),
        '(-1 (?:year|mon|day))( |$)', '\1s\2', 'g'), '(-\d+ [a-z]+) (\d)', '\1 +\2');

CREATE OR REPLACE MACRO pggate.dialect.bytea_text(x) AS '\x' || lower(to_hex(x));

CREATE OR REPLACE MACRO pggate.dialect.array_element(v) AS
    CASE
        WHEN v IS NULL THEN 'NULL'
        WHEN v = '' OR lower(v) = 'null' OR regexp_matches(v, '[{}",\\\s]')
        THEN '"' || replace(replace(v, '\', '\\'), '"', '\"') || '"'
        ELSE v
    END;

CREATE OR REPLACE MACRO pggate.dialect.array_text(l) AS
    CASE WHEN l IS NOT NULL THEN
        '{' || coalesce(array_to_string(list_transform(l, lambda v: pggate.dialect.array_element(CAST(v AS VARCHAR))), ','), '') || '}'
    END;

CREATE OR REPLACE MACRO pggate.dialect.integer_text(x, name) AS
    CASE WHEN x IS NULL OR regexp_full_match(x, '\s*[-+]?[0-9]+\s*') THEN x
        ELSE pggate.dialect.fail('22P02', 'invalid input syntax for type ' || name || ': "' || x || '"') END;

CREATE OR REPLACE MACRO pggate.dialect.boolean_text(x) AS
    CASE
        WHEN x IS NULL THEN NULL
        WHEN regexp_full_match(lower(trim(x)), 't|tr|tru|true|y|ye|yes|on|1') THEN true
        WHEN regexp_full_match(lower(trim(x)), 'f|fa|fal|fals|false|n|no|of|off|0') THEN false
        ELSE pggate.dialect.fail('22P02', 'invalid input syntax for type boolean: "' || x || '"')
    END;

-- to_char of a number. digits is the number without its sign, with all decimals
-- of the pattern; zeros the least digits before the point; keep those after it
-- that FM leaves; fill tells that FM is not asked for.
CREATE OR REPLACE MACRO pggate.dialect.number_grouped(whole, comma) AS
    CASE WHEN comma = '' THEN whole
        ELSE ltrim(reverse(regexp_replace(reverse(whole), '(\d\d\d)', '\1' || comma, 'g')), comma) END;

CREATE OR REPLACE MACRO pggate.dialect.number_whole(whole, zeros, point, comma) AS
    CASE WHEN zeros = 0 AND point AND whole = '0' THEN ''
        ELSE pggate.dialect.number_grouped(CASE WHEN length(whole) < zeros THEN lpad(whole, zeros, '0') ELSE whole END, comma) END;

CREATE OR REPLACE MACRO pggate.dialect.number_fraction(fraction, point, keep, fill) AS
    CASE WHEN NOT point THEN ''
        WHEN fill THEN '.' || fraction
        ELSE '.' || left(fraction, keep) || rtrim(substring(fraction, keep + 1), '0') END;

CREATE OR REPLACE MACRO pggate.dialect.number_filled(body, width, fill) AS
    CASE WHEN fill THEN lpad(body, width, ' ') ELSE body END;

CREATE OR REPLACE MACRO pggate.dialect.number_text(digits, negative, places, zeros, point, keep, comma, width, fill, overflow) AS
    CASE
        WHEN digits IS NULL THEN NULL
        WHEN length(split_part(digits, '.', 1)) > places AND split_part(digits, '.', 1) <> '0'
        THEN CASE WHEN negative THEN '-' WHEN fill THEN ' ' ELSE '' END || overflow
        ELSE pggate.dialect.number_filled(CASE WHEN negative THEN '-' ELSE '' END
            || pggate.dialect.number_whole(split_part(digits, '.', 1), zeros, point, comma)
            || pggate.dialect.number_fraction(split_part(digits, '.', 2), point, keep, fill), width, fill)
    END;

-- Names and literals
CREATE OR REPLACE MACRO pggate.dialect.quote_ident(s) AS
    CASE
        WHEN regexp_full_match(s, '[a-z_][a-z0-9_]*') AND s NOT IN (
            'all', 'analyse', 'analyze', 'and', 'any', 'array', 'as', 'asc', 'asymmetric', 'authorization', 'between',
            'bigint', 'binary', 'bit', 'boolean', 'both', 'case', 'cast', 'char', 'character', 'check', 'coalesce',
            'collate', 'collation', 'column', 'concurrently', 'constraint', 'create', 'cross', 'current_catalog',
            'current_date', 'current_role', 'current_schema', 'current_time', 'current_timestamp', 'current_user',
            'dec', 'decimal', 'default', 'deferrable', 'desc', 'distinct', 'do', 'else', 'end', 'except', 'exists',
            'extract', 'false', 'fetch', 'float', 'for', 'foreign', 'freeze', 'from', 'full', 'grant', 'greatest',
            'group', 'grouping', 'having', 'ilike', 'in', 'initially', 'inner', 'inout', 'int', 'integer', 'intersect',
            'interval', 'into', 'is', 'isnull', 'join', 'lateral', 'leading', 'least', 'left', 'like', 'limit',
            'localtime', 'localtimestamp', 'national', 'natural', 'nchar', 'none', 'normalize', 'not', 'notnull',
            'null', 'nullif', 'numeric', 'offset', 'on', 'only', 'or', 'order', 'out', 'outer', 'overlaps', 'overlay',
            'placing', 'position', 'precision', 'primary', 'real', 'references', 'returning', 'right', 'row', 'select',
            'session_user', 'setof', 'similar', 'smallint', 'some', 'substring', 'symmetric', 'table', 'tablesample',
            'then', 'time', 'timestamp', 'to', 'trailing', 'treat', 'trim', 'true', 'union', 'unique', 'user', 'using',
            'values', 'varchar', 'variadic', 'verbose', 'when', 'where', 'window', 'with', 'xmlattributes',
            'xmlconcat', 'xmlelement', 'xmlexists', 'xmlforest', 'xmlnamespaces', 'xmlparse', 'xmlpi', 'xmlroot',
            'xmlserialize', 'xmltable')
        THEN s
        ELSE '"' || replace(s, '"', '""') || '"'
    END;

CREATE OR REPLACE MACRO pggate.dialect.quote_literal(s) AS
    CASE WHEN contains(s, '\') THEN 'E''' || replace(replace(s, '\', '\\'), '''', '''''') || ''''
        ELSE '''' || replace(s, '''', '''''') || '''' END;

CREATE OR REPLACE MACRO pggate.dialect.quote_nullable(s) AS coalesce(pggate.dialect.quote_literal(s), 'NULL');

-- Text functions
CREATE OR REPLACE MACRO pggate.dialect.initcap(s) AS
    array_to_string(list_transform(regexp_extract_all(s, '[\pL\pN]+|[^\pL\pN]+'),
        lambda w: upper(left(w, 1)) || lower(substring(w, 2))), '');

-- The text that padding and repeating may make, in bytes of PostgreSQL's
-- largest value.
CREATE OR REPLACE MACRO pggate.dialect.bounded(n) AS
    CASE WHEN n > 16777216 THEN pggate.dialect.fail('54000', 'requested length too large') WHEN n < 0 THEN 0 ELSE n END;

CREATE OR REPLACE MACRO pggate.dialect.lpad(s, n, fill) AS
    CASE WHEN fill = '' THEN left(s, pggate.dialect.bounded(n)) ELSE lpad(s, CAST(pggate.dialect.bounded(n) AS INTEGER), fill) END;

CREATE OR REPLACE MACRO pggate.dialect.rpad(s, n, fill) AS
    CASE WHEN fill = '' THEN left(s, pggate.dialect.bounded(n)) ELSE rpad(s, CAST(pggate.dialect.bounded(n) AS INTEGER), fill) END;

CREATE OR REPLACE MACRO pggate.dialect.repeat_text(s, n) AS
    CASE WHEN strlen(s) * CAST(n AS HUGEINT) > 16777216 THEN pggate.dialect.fail('54000', 'requested length too large') ELSE repeat(s, n) END;

-- A start before the first character takes its length with it.
CREATE OR REPLACE MACRO pggate.dialect.substring2(s, start) AS substring(s, greatest(start, 1));

CREATE OR REPLACE MACRO pggate.dialect.substring3(s, start, n) AS
    CASE WHEN n < 0 THEN pggate.dialect.fail('22011', 'negative substring length not allowed')
        WHEN start IS NULL OR n IS NULL THEN NULL
        ELSE substring(s, greatest(start, 1), greatest(CAST(start AS BIGINT) + n - greatest(start, 1), 0)) END;

CREATE OR REPLACE MACRO pggate.dialect.overlay_text(s, new, start, n) AS
    CASE WHEN start <= 0 THEN pggate.dialect.fail('22011', 'negative substring length not allowed')
        ELSE left(s, start - 1) || new || pggate.dialect.substring2(s, start + n) END;

CREATE OR REPLACE MACRO pggate.dialect.split_part_text(s, sep, n) AS
    CASE WHEN n = 0 THEN pggate.dialect.fail('22023', 'field position must not be zero')
        WHEN sep = '' THEN CASE WHEN n IN (1, -1) THEN s ELSE '' END
        ELSE split_part(s, sep, n) END;

CREATE OR REPLACE MACRO pggate.dialect.substring_regex(s, pattern, part) AS
    CASE WHEN regexp_matches(s, pattern, 's') THEN regexp_extract(s, pattern, part, 's') END;

CREATE OR REPLACE MACRO pggate.dialect.regex_all(s, pattern, part, options) AS
    list_transform(regexp_extract_all(s, pattern, part, options), lambda m: [m]);

-- Arrays
CREATE OR REPLACE MACRO pggate.dialect.string_to_array(s, sep) AS
    CASE WHEN s IS NULL THEN NULL
        WHEN s = '' THEN CAST([] AS VARCHAR[])
        WHEN sep IS NULL THEN regexp_extract_all(s, '.', 0, 's')
        WHEN sep = '' THEN [s]
        ELSE string_split(s, sep) END;

CREATE OR REPLACE MACRO pggate.dialect.string_to_array3(s, sep, empty) AS
    list_transform(pggate.dialect.string_to_array(s, sep), lambda v: nullif(v, empty));

CREATE OR REPLACE MACRO pggate.dialect.array_to_string(l, sep) AS
    CASE WHEN l IS NOT NULL AND sep IS NOT NULL THEN coalesce(array_to_string(l, sep), '') END;

CREATE OR REPLACE MACRO pggate.dialect.array_to_string3(l, sep, empty) AS
    CASE WHEN l IS NOT NULL AND sep IS NOT NULL
        THEN coalesce(array_to_string(list_transform(l, lambda v: coalesce(CAST(v AS VARCHAR), empty)), sep), '') END;

CREATE OR REPLACE MACRO pggate.dialect.array_remove(l, x) AS list_filter(l, lambda v: v IS DISTINCT FROM x);

CREATE OR REPLACE MACRO pggate.dialect.array_replace(l, x, y) AS
    list_transform(l, lambda v: CASE WHEN v IS NOT DISTINCT FROM x THEN y ELSE v END);

CREATE OR REPLACE MACRO pggate.dialect.array_positions(l, x) AS
    CAST(list_filter(range(1, len(l) + 1), lambda i: l[i] IS NOT DISTINCT FROM x) AS INTEGER[]);

-- Dates and times
CREATE OR REPLACE MACRO pggate.dialect.round_timestamp(x, unit) AS
    make_timestamp(((epoch_us(x) + unit // 2) // unit) * unit);

CREATE OR REPLACE MACRO pggate.dialect.round_timestamptz(x, unit) AS
    timezone('UTC', make_timestamp(((epoch_us(x) + unit // 2) // unit) * unit));

CREATE OR REPLACE MACRO pggate.dialect.round_time(x, unit) AS
    CAST(make_timestamp(((epoch_us(x) + unit // 2) // unit) * unit) AS TIME);

CREATE OR REPLACE MACRO pggate.dialect.time_difference(a, b) AS to_microseconds(epoch_us(a) - epoch_us(b));

-- The parts of an interval as PostgreSQL keeps them.
CREATE OR REPLACE MACRO pggate.dialect.interval_months(i) AS date_part('year', i) * 12 + date_part('month', i);

CREATE OR REPLACE MACRO pggate.dialect.interval_micros(i) AS
    date_part('hour', i) * 3600000000 + date_part('minute', i) * 60000000 + date_part('microsecond', i);

CREATE OR REPLACE MACRO pggate.dialect.justify_hours(i) AS
    to_months(CAST(pggate.dialect.interval_months(i) AS INTEGER))
        + to_days(CAST(date_part('day', i) + pggate.dialect.interval_micros(i) // 86400000000 AS INTEGER))
        + to_microseconds(pggate.dialect.interval_micros(i) % 86400000000);

CREATE OR REPLACE MACRO pggate.dialect.justify_days(i) AS
    to_months(CAST(pggate.dialect.interval_months(i) + date_part('day', i) // 30 AS INTEGER))
        + to_days(CAST(date_part('day', i) % 30 AS INTEGER))
        + to_microseconds(pggate.dialect.interval_micros(i));

-- JSON
CREATE OR REPLACE MACRO pggate.dialect.json_index(i) AS
    CASE WHEN i < 0 THEN '$[#-' || -i || ']' ELSE '$[' || i || ']' END;

CREATE OR REPLACE MACRO pggate.dialect.json_step(k) AS '$."' || replace(k, '"', '\"') || '"';

CREATE OR REPLACE MACRO pggate.dialect.json_names(j) AS
    CASE json_type(j) WHEN 'OBJECT' THEN json_keys(j) WHEN 'ARRAY' THEN json_extract_string(j, '$[*]') ELSE CAST([] AS VARCHAR[]) END;

CREATE OR REPLACE MACRO pggate.dialect.json_has(j, k) AS list_contains(pggate.dialect.json_names(j), k);

CREATE OR REPLACE MACRO pggate.dialect.json_kind(j) AS
    CASE json_type(j) WHEN 'OBJECT' THEN 'object' WHEN 'ARRAY' THEN 'array' WHEN 'VARCHAR' THEN 'string'
        WHEN 'BOOLEAN' THEN 'boolean' WHEN 'NULL' THEN 'null' ELSE CASE WHEN j IS NOT NULL THEN 'number' END END;

-- 1st, 2nd, 3rd, 4th, 11th, as the suffix TH of to_char.
CREATE OR REPLACE MACRO pggate.dialect.ordinal(n) AS
    n || CASE WHEN right('0' || n, 2) IN ('11', '12', '13') THEN 'th'
        WHEN right(n, 1) = '1' THEN 'st' WHEN right(n, 1) = '2' THEN 'nd' WHEN right(n, 1) = '3' THEN 'rd' ELSE 'th' END;
