package wire

import (
	"encoding/hex"
	"math"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// isTime is for the types whose values are integers with a calendar.
func isTime(oid sqltype.OID) bool {
	switch oid {
	case sqltype.Date, sqltype.Time, sqltype.Timetz, sqltype.Timestamp, sqltype.Timestamptz:
		return true
	}
	return false
}

// timePut is the function that writes dates and times, nil for other types.
func timePut(oid sqltype.OID, binary bool, env *encodeEnv) func([]byte, int64) []byte {
	if !isTime(oid) {
		return nil
	}
	if binary {
		return timeBinary(oid, env)
	}
	switch oid {
	case sqltype.Date:
		return appendDate
	case sqltype.Time:
		return appendClock
	case sqltype.Timetz:
		return func(dst []byte, v int64) []byte {
			clock, offset := splitTimetz(v)
			return appendOffset(appendClock(dst, clock), offset)
		}
	case sqltype.Timestamp:
		return func(dst []byte, v int64) []byte { return appendTimestamp(dst, v, ' ') }
	}
	return func(dst []byte, v int64) []byte { return appendTimestamptz(dst, v, ' ', &env.zone) }
}

// timeBinary is for the binary forms (date_send, time_send, timetz_send,
// timestamp_send), which count from 2000-01-01.
func timeBinary(oid sqltype.OID, env *encodeEnv) func([]byte, int64) []byte {
	switch oid {
	case sqltype.Date:
		return func(dst []byte, v int64) []byte {
			switch {
			case v == math.MaxInt32:
				return appendUint32(dst, math.MaxInt32)
			case v == -math.MaxInt32 || v == math.MinInt32:
				return appendUint32(dst, 1<<31)
			}
			v -= epochDays
			if v != int64(int32(v)) {
				env.fail(sqlstate.New(sqlstate.DatetimeFieldOverflow, "date out of range"))
			}
			return appendUint32(dst, uint32(v))
		}
	case sqltype.Time:
		return func(dst []byte, v int64) []byte { return appendUint64(dst, uint64(v)) }
	case sqltype.Timetz:
		return func(dst []byte, v int64) []byte {
			clock, offset := splitTimetz(v)
			return appendUint32(appendUint64(dst, uint64(clock)), uint32(int32(-offset))) // seconds west
		}
	}
	return func(dst []byte, v int64) []byte {
		switch infinite(v, math.MaxInt64) {
		case 1:
			return appendUint64(dst, math.MaxInt64)
		case -1:
			return appendUint64(dst, 1<<63)
		}
		if v < math.MinInt64+epochMicros {
			env.fail(sqlstate.New(sqlstate.DatetimeFieldOverflow, "timestamp out of range"))
		}
		return appendUint64(dst, uint64(v-epochMicros))
	}
}

func intervalEncoder(t sqltype.Type, binary bool, env *encodeEnv) encoder {
	if binary && t.OID == sqltype.Interval {
		return &fixed[backend.Interval]{put: func(dst []byte, v backend.Interval) []byte {
			dst = appendUint64(dst, uint64(v.Micros)) // interval_send
			return appendUint32(appendUint32(dst, uint32(v.Days)), uint32(v.Months))
		}}
	}
	style := env.intervalStyle
	return &fixed[backend.Interval]{put: func(dst []byte, v backend.Interval) []byte { return appendInterval(dst, v, style) }}
}

func uuidEncoder(t sqltype.Type, binary bool) encoder {
	if binary && t.OID == sqltype.UUID {
		return &fixed[backend.UUID]{put: func(dst []byte, v backend.UUID) []byte { return append(dst, v[:]...) }}
	}
	return &fixed[backend.UUID]{put: appendUUID}
}

func appendUUID(dst []byte, v backend.UUID) []byte {
	dst = hex.AppendEncode(dst, v[:4])
	for i := 4; i < 10; i += 2 {
		dst = append(dst, '-')
		dst = hex.AppendEncode(dst, v[i:i+2])
	}
	dst = append(dst, '-')
	return hex.AppendEncode(dst, v[10:])
}
